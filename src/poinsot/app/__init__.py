"""The command line and the pages it writes; nothing else imports this package.

cli                                       the commands
models, dynamics, vibration,
identifiability, measurements,
estimate, design                          those of each part
new                                       `poinsot new`: a folder to start from
guide                                     overview, examples, completion
options, verb                             what several commands take; what holds for every call
console, output, tables                   what the terminal shows; what is printed and written; tables of motions
scene                                     a mechanism as a picture in space; pages
viewer                                    `poinsot view`: the live page in a browser
report                                    a result as one page
notes                                     what a file of another program could not tell
reproduce                                 the papers, number by number, with verdicts
"""
