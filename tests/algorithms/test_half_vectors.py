import numpy as np
import pytest
from ragraphs.algorithms.half_vectors import half_products


def vectors(count: int) -> np.ndarray:
    found = np.random.default_rng(count).standard_normal((count, 384)).astype(np.float32)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


@pytest.mark.parametrize("count", [0, 1, 70])
def test_products_are_those_of_single_precision_but_for_rounding(count: int) -> None:
    halves, asked = vectors(count).astype(np.float16), vectors(2)

    found = half_products(halves, asked)

    assert found.shape == (count, 2)
    assert found == pytest.approx(halves.astype(np.float32) @ asked.T, abs=1e-3)


def test_products_with_no_vector_have_no_columns() -> None:
    assert half_products(vectors(3).astype(np.float16), vectors(0)).shape == (3, 0)
