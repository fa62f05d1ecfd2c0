"""Greedy tagging with integer weights and the averaged perceptron; the compiled twin is `_tagging.pyx`.

A token comes as rows of the weight table: those of its static features, and those of its crossed features, to which
the number of the tag before is added. One more row belongs to each pair of tags before. The
first rows, one for each tag before, are those of absent features: they stay zero.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def _active(rows: Any, crossed: Any, pair_base: int, n_tags: int, token: int, before: int, before_that: int) -> Any:
    """Give the rows of weights that speak about a token."""
    pair = pair_base + before_that * (n_tags + 1) + before
    return np.concatenate((rows[token], crossed[token] + before, [pair]))


def decode(
    rows: Any, crossed: Any, fixed: Any, starts: Any, pair_base: int, weights: Any, n_tags: int, out: Any
) -> None:
    """Tag sentences from left to right.

    `fixed` holds the tag of a token that is not to be scored, or -1; token `i` of sentence `s` lies at ``starts[s] +
    i``. Before a sentence the number `n_tags` stands for the tag. Of equal scores the first tag wins.
    """
    for first, last in zip(starts[:-1], starts[1:], strict=True):
        before = before_that = n_tags
        for token in range(first, last):
            tag = int(fixed[token])
            if tag < 0:
                active = _active(rows, crossed, pair_base, n_tags, token, before, before_that)
                tag = int(weights[active, :n_tags].sum(axis=0).argmax())
            out[token] = tag
            before_that, before = before, tag


def train_epoch(
    rows: Any,
    crossed: Any,
    fixed: Any,
    starts: Any,
    pair_base: int,
    gold: Any,
    order: Any,
    weights: Any,
    totals: Any,
    step: int,
    n_tags: int,
) -> tuple[int, int]:
    """Go once through the sentences in the given order and correct the weights after each wrong tag.

    The history of a token is what was predicted, as when tagging. `totals` sums each change times its step, from which
    the average of the weights over all steps follows. The result is the number of errors and the next step.
    """
    errors = 0
    for sentence in order:
        before = before_that = n_tags
        for token in range(starts[sentence], starts[sentence + 1]):
            tag, right = int(fixed[token]), int(gold[token])
            if tag < 0:
                active = _active(rows, crossed, pair_base, n_tags, token, before, before_that)
                tag = int(weights[active, :n_tags].sum(axis=0).argmax())
                if tag != right:  # a row may occur more than once
                    active = active[active > n_tags]
                    np.add.at(weights, (active, right), 1)
                    np.add.at(weights, (active, tag), -1)
                    np.add.at(totals, (active, right), step)
                    np.add.at(totals, (active, tag), -step)
                step += 1
            errors += tag != right
            before_that, before = before, tag
    return errors, step


def fill_rows(
    attributes: Any,
    words: Any,
    starts: Any,
    static_templates: Any,
    crossed_templates: Any,
    joined: Any,
    pair_keys: Any,
    height: int,
    static_rows: Any,
    crossed_rows: Any,
) -> None:
    """Look up the rows of the features of each token.

    ``attributes[w, slot]`` is the number of a value of word `w`, 0 for none; word 0 stands beyond the ends of a
    sentence. A template is (offset, slot, first row); a joined one is (left offset, right offset, first row), for
    which ``pair_keys`` has the numbers of two words, the values of slot 0, in one integer. A crossed value has
    `height` rows.
    """
    known = attributes.tolist()
    pairs = {key: number for number, key in enumerate(pair_keys.tolist())}
    templates = [
        *((*row, 1) for row in static_templates.tolist()),
        *((*row, height) for row in crossed_templates.tolist()),
    ]
    n_static = len(static_templates)
    for first, last in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        sentence = [known[0], known[0], *(known[word] for word in words[first:last].tolist()), known[0], known[0]]
        for token in range(first, last):
            here = token - first + 2
            found = []
            for offset, slot, base, rows in templates:
                value = sentence[here + offset][slot]
                found.append((value - 1) * rows + base if value else 0)
            static_rows[token, :n_static] = found[:n_static]
            crossed_rows[token] = found[n_static:]
            for column, (left, right, base) in enumerate(joined.tolist(), start=n_static):
                pair = pairs.get(sentence[here + left][0] << 32 | sentence[here + right][0])
                static_rows[token, column] = 0 if pair is None else base + pair
