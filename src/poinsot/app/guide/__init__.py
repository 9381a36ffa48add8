"""What helps at the command line: the overview, examples of every command, completion by the shell.

overview    commands in groups
examples    lines that run, by command, at the end of its help
completion  `poinsot completion SHELL`
names       names of models, parameters, coordinates and methods for the shell
"""
