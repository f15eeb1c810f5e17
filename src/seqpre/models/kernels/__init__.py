"""Kernels: recurrent layers, products, softmax and dropout, faster than written out and equal to it."""
