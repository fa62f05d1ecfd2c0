"""Fitted models over files of any size: one Parquet part for each input file, restartable, on one machine or many."""

from textprep_ml.bulk.files import Summary, transform_files
from textprep_ml.bulk.parts import Part

__all__ = ["Part", "Summary", "transform_files"]
