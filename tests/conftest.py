"""Settings that every test shares: the same examples in every run, no deadlines on busy machines."""

import os

# One thread for small dense matrices: with more, workers that share the processors take ten times as long.
for library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

from hypothesis import HealthCheck, settings  # noqa: E402

settings.register_profile(
    "poinsot", deadline=None, derandomize=True, max_examples=15, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("poinsot")
