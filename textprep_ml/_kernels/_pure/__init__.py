"""The textbook twins of the compiled kernels."""
