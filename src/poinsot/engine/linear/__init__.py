"""Linear algebra, as expressions and in batch.

sparse_ldl, elimination     LDLᵀ of sparse and constrained systems; an order for it
augmentation                constraints that stand in for masses that are missing
implicit                    derivatives of solutions from the same factor
eigen, eigen_kernels        symmetric eigenproblems in batch; eigen_derivatives
lapack                      LAPACK through SciPy
"""
