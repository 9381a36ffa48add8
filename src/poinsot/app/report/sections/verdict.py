"""The verdict on the estimate, in plain words."""

from __future__ import annotations

from poinsot.app.report.blocks import Points, ReportSection, Tone, Words
from poinsot.app.report.saved import SavedResult
from poinsot.app.report.words import percent


def verdict(result: SavedResult) -> ReportSection | None:
    """Numerics, prediction and doubts."""
    data = result.data
    if result.designed:
        blocks: list[object] = [
            Words(data["status"] or "The design is complete.", Tone.DOUBT if data["status"] else Tone.GOOD)
        ]
        blocks += [Points(data["remarks"])] if data.get("remarks") else []
        return ReportSection("verdict", "Verdict", blocks)
    numerics = data.get("numerics") or []
    held_out = data.get("validation")
    blocks = [Words(data["verdict"][:1].upper() + data["verdict"][1:] + ".", _tone(data["verdict"]))]
    blocks.append(
        Words("The numbers are in doubt for these reasons:", Tone.DOUBT)
        if numerics
        else Words("The search or the equations ended as they should.")
    )
    blocks += [Points(numerics)] if numerics else []
    blocks.append(Words(_fit(data["fit"], "the runs that it was identified from")))
    if held_out:
        blocks.append(Words(_fit(held_out, "runs that were held out")))
    else:
        blocks.append(Words("No run was held out: how well the model predicts is not known.", Tone.DOUBT))
    if silent := [c["channel"] for c in data["fit"]["channels"] if c.get("silent")]:
        said = "Not judged, since the model predicts zero there whatever the values"
        blocks.append(Words(f"{said}: {', '.join(silent)}.", Tone.NOTE))
    if data.get("status"):
        blocks.append(Words(data["status"].partition(": see Estimate")[0].rstrip(".") + ".", Tone.NOTE))
    return ReportSection("verdict", "Verdict on the estimate", blocks)


def _tone(text: str) -> Tone:
    doubt = any(
        sign in text
        for sign in ("in doubt", "does not predict", "no better than", "not evaluated", "biased", "impossible values")
    )
    return Tone.DOUBT if doubt else Tone.GOOD


def _fit(fit, where: str) -> str:
    """How large the residual is, of the channel that is explained worst."""
    told = [c for c in fit["channels"] if c["relative"] is not None and not c.get("silent")]
    if not told:
        return f"In {where}, no channel varies: a share of what is left unexplained cannot be told."
    worst = max(told, key=lambda c: c["relative"])
    return (
        f"In {where}, the residual of the channel that is explained worst, {worst['channel']}, is "
        f"{percent(worst['relative'])} of its standard deviation."
    )
