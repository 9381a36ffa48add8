"""What the verbs give: records that become JSON, tables, plots and pages of a notebook, in one way for all.

record     Result: what every result can do
tables     values as data for JSON, as columns, as CSV
panels     what a plot shows, as data: curves, bars, fields, words
pictures   panels that several results share: responses, maps, matrices, places of bodies
placed     results that tell where bodies are
words      numbers with names and units in a text
thinning   long signals in few points, peaks included
drawing    panels drawn into Axes of Matplotlib
notebook   a result as HTML
"""

from poinsot.results.panels import BarPanel, Curve, FieldPanel, LinePanel, Panel, TextPanel
from poinsot.results.record import COLUMNS, DISPLACEMENT, WRENCH, Result
