"""The order of the sections. A new one is a function in a file of its own, and a line here."""

from __future__ import annotations

from collections.abc import Callable

from poinsot.app.report.blocks import ReportSection
from poinsot.app.report.saved import SavedResult
from poinsot.app.report.sections.convergence import convergence
from poinsot.app.report.sections.correlation import correlation
from poinsot.app.report.sections.design import design
from poinsot.app.report.sections.estimates import estimates
from poinsot.app.report.sections.findings import findings
from poinsot.app.report.sections.fits import fits
from poinsot.app.report.sections.identifiability import identifiability
from poinsot.app.report.sections.mechanism import mechanism
from poinsot.app.report.sections.provenance import provenance
from poinsot.app.report.sections.question import question
from poinsot.app.report.sections.surfaces import surfaces
from poinsot.app.report.sections.validation import validation
from poinsot.app.report.sections.verdict import verdict

SECTIONS: tuple[Callable[[SavedResult], ReportSection | None], ...] = (
    question,
    identifiability,
    verdict,
    estimates,
    fits,
    validation,
    convergence,
    surfaces,
    correlation,
    design,
    findings,
    mechanism,
    provenance,
)
