"""One text through a whole pipeline: sentences, tokens and pieces, each with its span in the raw text.

`annotate` runs the steps of a pipeline and keeps what each of them finds. Spans go back through every normalizer on the
way, so that ``text[start:end]`` of the raw text is what a sentence, token or piece was made from.
"""

from textprep_ml.annotation.result import Annotations, Layer
from textprep_ml.annotation.walking import annotate

__all__ = ["Annotations", "Layer", "annotate"]
