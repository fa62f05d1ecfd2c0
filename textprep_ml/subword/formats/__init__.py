"""Readers and writers of byte-pair models, one module per format."""
