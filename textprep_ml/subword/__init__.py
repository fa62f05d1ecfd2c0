"""Subword tokenizers: trained vocabularies of pieces that cover any text."""
