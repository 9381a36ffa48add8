"""Searches: values of least cost of any problem with residuals, and what these determine.

problem               residuals of unknowns within bounds, priors among them
base                  the interface of methods; convergence, progress, interrupts
levenberg_marquardt   damped steps of Gauss and Newton
trust_region          reflective steps within bounds
population            where a population begins, when it has settled
swarm                 particle swarm
evolution             covariance matrix adaptation
constraints           equalities and inequalities between unknowns
interior_point        IPOPT
collocation           all variables of simulated motions at once
multi_start           another method from many starts
starts                where each of these began and ended, and in which minimum
registry              methods by name, and what goes on from values that another one found
determined            what residuals determine near the values that were found
profile               intervals by the profile of the likelihood
"""
