"""The figures that the papers publish, drawn from our results: for each paper, panels by the figure's name.

stewart      closure, accelerations, angles, forces, sensitivity, cost surfaces, convergence
frequencies  configurations, correlations, mode shapes, frequency responses
hexapod      translation, angles and legs in the dynamic test
four_bar     the motion that excites it
navaro       the eight poses
skeleton     a mechanism in a pose as lines between its joints
"""
