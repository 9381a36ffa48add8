"""Linear algebra, as expressions and in batch.

sparse_ldl, elimination     LDLᵀ of sparse and constrained systems; an order for it
augmentation                constraints that stand in for masses that are missing
pivoting                    unknowns that may be chosen freely
eigen, eigen_kernels        symmetric eigenproblems in batch
lapack                      LAPACK through SciPy
"""
