"""The command line and the pages it writes; nothing else imports this package.

cli                                       the commands
dynamics, vibration, identifiability,
measurements, estimate, design            those of each part
options                                   what several commands take
console, output, tables                   what the terminal shows; what is printed and written; tables of motions
notes                                     what a file of another program could not tell
scene                                     a mechanism as a picture in space
report                                    a result as one page
reproduce                                 the papers, number by number, with verdicts
"""
