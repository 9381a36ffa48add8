"""What an identification gives.

validation           fit and prediction, channel by channel
identified           the mechanism with the values that were found
text                 values and tables as text
folder               the result as files that other programs read
bootstrap            intervals from estimates with drawn noise
estimate             the result and its verdict
linear               results by base parameters
searched             results by search
surface              costs over two unknowns
kept                 what a folder keeps besides: the study as data, a motion, cost surfaces
summary              what a comparison needs of a result, at hand or in a folder
comparison           several results in one table, and what their differences are worth
"""
