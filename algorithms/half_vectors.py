"""Products of vectors of half precision, which numpy would turn into single precision first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def half_products(
    halves: NDArray[np.float16], vectors: NDArray[np.floating[Any]]
) -> NDArray[np.float32]:
    """The product of each of ``halves`` (n, d) with each of ``vectors`` (k, d): shape (n, k).

    It is computed in one thread: several would take longer for so little.

    >>> half_products(np.eye(2, dtype=np.float16), np.array([[0.5, 2.0]])).tolist()
    [[0.5], [2.0]]
    """
    import numkong

    products = np.zeros((len(halves), len(vectors)), dtype=np.float32)
    if products.size:
        numkong.cdist(halves, vectors.astype(np.float16), "dot", out=products)
    return products
