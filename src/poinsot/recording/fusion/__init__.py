"""Sensor fusion: an inertial unit, encoders and closed loops become one motion with error bars.

fuse                   IMU and encoders of any mechanism: iterated error-state smoother, or the causal filter
setting                what is fused, and what is known before
start, passes          first trajectories; filter and smoother over all nodes
fusion, outcome        what comes out, with covariances, biases and tests of consistency
navigation             state of the inertial unit on SO(3) × Rⁿ and how its readings carry it on
pose_measurement       what encoders and loops say about the pose of one body
nodes                  samples of all sensors on one clock
equations              steps of the filters and rows of a pose, as symbols
kalman                 recursions of filter and smoother for time-varying linear systems
force_filter           Kalman filter on generalised forces
allan                  Allan deviation: noise and random walk of a sensor at rest
"""
