"""From raw text to labels: what is worth labelling, the local page that takes decisions, and the files that keep them.

Nothing here needs more than the package itself, except `textprep_ml.labelling.server`: starlette and uvicorn, the extra
``annotate``.
"""

from textprep_ml.labelling.suggestions import suggest

__all__ = ["suggest"]
