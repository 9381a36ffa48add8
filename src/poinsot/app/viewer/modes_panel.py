"""Modes on the page: a list with frequencies, an amplitude, and one that swings."""

from __future__ import annotations

from typing import Any

from poinsot.app.scene.track import Film, swing, vibration
from poinsot.app.viewer.motion_panel import Player
from poinsot.app.viewer.stage import ViewerStage, plain_markdown
from poinsot.vibration.modes import Modes

NONE = "press the button first"


def add_modes_panel(stage: ViewerStage, player: Player, count: int = 12) -> Any:
    """Controls that find the modes of the pose that is shown, and let one swing."""
    gui = stage.server.gui
    with gui.add_folder("Modes", expand_by_default=False):
        find = gui.add_button("modes of this pose")
        choice = gui.add_dropdown("mode", (NONE,), initial_value=NONE)
        size = gui.add_slider("amplitude", 0.0, 3.0, 0.05, 1.0, hint="1 moves a joint by a tenth of the machine")
        swings = gui.add_checkbox("swing", False)
        told = gui.add_markdown("")
    found: dict[str, Any] = {"modes": None, "film": (), "filling": False}

    def offer(labels: tuple[str, ...]) -> None:
        found["filling"], choice.options, found["filling"] = True, labels, False

    def fill(modes: Modes) -> None:
        labels = tuple(mode_label(modes, k) for k in range(len(modes.values)))
        found["modes"], told.content = modes, plain_markdown(_conditions(modes))
        offer(labels or (NONE,))
        if labels:
            choice.value = labels[0]
            put_on()

    def put_on() -> None:
        if (modes := found["modes"]) is None or choice.value not in choice.options or choice.value == NONE:
            stage.say("there are no modes yet: press the button first")
            swings.value = False
            return
        shown = swinging(stage, modes, choice.options.index(choice.value), float(size.value))
        before, found["film"] = found["film"], ((shown, stage.drawing),)
        if player.films is before and before:
            player.films = found["film"]
        else:
            player.put_on(found["film"], stop)
        player.playing = swings.value
        player.show()

    def stop() -> None:
        swings.value = False

    def forget() -> None:  # modes of another pose than the one that is shown
        if found["modes"] is not None:
            found["modes"], told.content, swings.value = None, "", False
            offer((NONE,))

    def changed(_: Any) -> None:
        if not found["filling"]:
            stage.latest("mode", None, lambda _: put_on())

    @swings.on_update
    def _(_: Any) -> None:
        if swings.value:
            stage.latest("mode", None, lambda _: put_on())
        elif player.films is found["film"]:
            player.playing = False

    find.on_click(lambda _: stage.latest("modes", count, lambda n: fill(modes_of_pose(stage, n))))
    for control in (choice, size):
        control.on_update(changed)
    player.stopped.append(stop)
    stage.posed.append(forget)
    return find


def swinging(stage: ViewerStage, modes: Modes, k: int, size: float) -> Film:
    """Mode k as a film; `size` 1 moves a joint by a tenth of the machine."""
    return swing(vibration(modes, k, stage.scene.sizes.extent, size))


def modes_of_pose(stage: ViewerStage, count: int) -> Modes:
    """Modes of the mechanism in the pose that is shown."""
    import poinsot

    stage.say("modes are computed …")
    stage.adopt()
    posing = stage.posing
    if all(abs(a - b) < 1e-12 for a, b in zip(_values(stage), posing.values(posing.home).values())):
        return poinsot.modes(posing.mechanism, n=count)  # the model's pose, or the equilibrium near it
    return poinsot.modes(posing.mechanism, posing.values(stage.pose), n=count)


def _values(stage: ViewerStage) -> list[float]:
    return list(stage.posing.values(stage.pose).values())


def mode_label(modes: Modes, k: int) -> str:
    """Number and frequency of a mode, and what is special about it.

    "3: 54.0 Hz"
    """
    special = f", {modes.labels[k]}" if modes.labels[k] else ""
    return f"{k + 1}: {modes.frequencies[k]:.4g} Hz{special}"


def _conditions(modes: Modes) -> str:
    locked = ", ".join(modes.linear.locked) or "none"
    return f"{modes.linear.formulation} formulation; actuators locked: {locked}"
