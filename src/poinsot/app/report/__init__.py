"""Report: a result as one page that needs no network, in sections.

command       `poinsot report`
page          the page from its sections: template, style, script, all in one file
saved         a folder of results, read back
signals       measured and predicted channels of a folder
blocks        what sections are made of: words, tables, plots, scenes
words         numbers and verdicts as text
sections      one section a file, and their order
"""

from poinsot.lazy import door

__all__ = ["report_page", "write_report"]
__getattr__ = door(__name__, {"page": "report_page write_report"})
