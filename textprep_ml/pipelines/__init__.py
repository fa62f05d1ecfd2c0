"""Pipelines of text steps in scikit-learn: documents -> sentences -> tokens -> pieces is list nesting, nothing else.

Every estimator here is one of scikit-learn's kind, so that its tools work on them. `make_text_pipeline` makes the usual
pipelines; the examples show what else goes. The texts:

>>> from textprep_ml import BPETokenizer, WordCounter, load, make_normalizer, make_text_pipeline
>>> texts = ["Great app. I love it!", "It crashes. I hate it.", "Love the new look!", "Crashes at 3 p.m. Bad app."] * 4
>>> labels = ["praise", "complaint"] * 8

From raw text to labels in one pipeline: normalizer, segmenter, tokenizer, subword pieces, vectorizer, classifier.

>>> pipeline = make_text_pipeline(
...     normalizer=make_normalizer("search", case="keep"),
...     segmenter="en",
...     subword=BPETokenizer(vocab_size=280, pretokenizer="none"),
...     vectorizer="tfidf",
...     classifier="logistic",
... )
>>> pipeline.fit(texts, labels).predict(["I love that app"]).tolist()
['praise']

**A search across all steps**: each parameter by the name of its step.

>>> from sklearn.model_selection import GridSearchCV
>>> grid = {
...     "normalizer__case": ["keep", "casefold"],
...     "tokenizer__contractions": ["split", "keep"],
...     "subword__vocab_size": [260, 280],
...     "vectorizer__analyzer__ngram_range": [(1, 1), (1, 2)],
... }
>>> search = GridSearchCV(pipeline, grid, cv=2).fit(texts, labels)
>>> len(search.cv_results_["params"]), sorted(search.best_params_) == sorted(grid)
(16, True)

**A trained step stays as it is** inside `FrozenEstimator`: the segmenter has learned boundaries, not these labels.
`make_text_pipeline` freezes what is fitted or loaded.

>>> from sklearn.frozen import FrozenEstimator
>>> from sklearn.pipeline import make_pipeline
>>> from textprep_ml import WordTokenizer
>>> isinstance(pipeline["segmenter"], FrozenEstimator)
True
>>> make_pipeline(FrozenEstimator(load("en")), WordTokenizer()).fit(texts, labels).transform(["Dr. Ito left. Yes."])
[[['Dr.', 'Ito', 'left', '.'], ['Yes', '.']]]

**With a memory**, steps that were fitted on the same texts before are not fitted again.

>>> import tempfile
>>> folder = tempfile.TemporaryDirectory()
>>> cached = make_text_pipeline(subword="bpe", classifier="bayes", memory=folder.name)
>>> cached = cached.set_params(subword__vocab_size=265).fit(texts, labels).set_params(classifier__alpha=0.5)
>>> cached.fit(texts, labels).score(texts, labels)  # only the classifier is trained
1.0
>>> folder.cleanup()

**Beside other columns** of a frame, in a `ColumnTransformer`; `set_output` gives a frame with named columns.

>>> import pandas as pd
>>> from sklearn.compose import ColumnTransformer
>>> frame = pd.DataFrame({"review": texts[:4], "stars": [5, 1, 4, 2]})
>>> words = make_pipeline(make_normalizer("search"), WordCounter(vocab_size=2, sparse_output=False))
>>> columns = ColumnTransformer([("words", words, "review"), ("stars", "passthrough", ["stars"])])
>>> columns.set_output(transform="pandas").fit_transform(frame)
   words__app  words__it  stars__stars
0           1          1             5
1           0          2             1
2           0          0             4
3           1          0             2

**Feature names** are the terms.

>>> tokens = make_text_pipeline(normalizer="search", vectorizer="counts").fit(texts)
>>> tokens.get_feature_names_out()[3:9].tolist()
['app', 'at', 'bad', 'crashes', 'great', 'hate']

**What a pipeline finds** in a text, and where in the raw text, tells `textprep_ml.annotate`; it is saved by
`textprep_ml.save` and goes over data sets by `textprep_ml.batch_function`.
"""

from textprep_ml.pipelines.leaves import LeafAnalyzer
from textprep_ml.pipelines.steps import TextPipeline, stage_of, thawed
from textprep_ml.pipelines.usual import make_text_pipeline

__all__ = ["LeafAnalyzer", "TextPipeline", "make_text_pipeline", "stage_of", "thawed"]
