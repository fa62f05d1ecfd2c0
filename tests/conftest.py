"""What holds for all tests, on a machine that does something else too."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Tests run beside each other, one process for each core; pools of threads below them would only take turns.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ.setdefault(name, "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

# A busy machine is no failure: examples have no time limit. What a change must pass does not depend on chance either;
# new examples are for whoever runs the tests at home.
settings.register_profile(
    "any machine",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize="CI" in os.environ,
    print_blob=True,
)
settings.load_profile("any machine")
