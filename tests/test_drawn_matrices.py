"""Matrices in plots: cells are coloured and hold their numbers, a single one too; round-off is written as 0."""

from __future__ import annotations

import numpy as np
import pytest

import poinsot
from poinsot.results.drawing import without_round_off
from poinsot.results.pictures import matrix_panel

pytest.importorskip("matplotlib")


def numbers(axes) -> list[str]:
    """What is written in the cells."""
    return [text.get_text() for text in axes.texts]


def test_a_matrix_of_one_freedom_fills_its_axes():
    linear = poinsot.linearise(poinsot.load("pendulum"))
    for axes, values in zip(linear.plot(), (linear.M, linear.D, linear.K)):
        axes.figure.canvas.draw()
        (mesh,) = axes.collections
        box, cell = axes.get_window_extent(), mesh.get_window_extent()
        assert cell.width == pytest.approx(box.width) and cell.height == pytest.approx(box.height)
        assert numbers(axes) == [f"{values[0, 0]:.2g}".replace("-", "−")]


def test_cells_lie_about_their_places():
    from poinsot.results.drawing import draw
    from poinsot.results.panels import FieldPanel

    panel = FieldPanel(x="a", y="b", across=[1.0, 2.0, 4.0], upwards=[3.0], values=[[1.0], [2.0], [3.0]], label="c")
    (mesh,) = draw([panel])[0].collections
    np.testing.assert_allclose(mesh.get_coordinates()[0, :, 0], [0.5, 1.5, 3.0, 5.0])
    np.testing.assert_allclose(mesh.get_coordinates()[:, 0, 1], [2.5, 3.5])


def test_round_off_is_written_as_nought():
    from poinsot.results.drawing import draw

    values = np.array([[1.0, 5e-17], [-5e-17, 2.0]])
    assert numbers(draw([matrix_panel(["a", "b"], ["a", "b"], values, "M")])[0]) == ["0", "2", "1", "0"]
    units = np.diag([1e9, 1e-4]) + np.array([[0, 3e-7], [3e-7, 0]])  # N/m beside N·m/rad
    np.testing.assert_array_equal(without_round_off(units)[1], [0, 1e-4])
    np.testing.assert_array_equal(without_round_off(np.diag([1.0, 1e-14])), np.diag([1.0, 1e-14]))
    np.testing.assert_array_equal(without_round_off(np.array([[np.nan, 1.0]])), [[np.nan, 1.0]])
