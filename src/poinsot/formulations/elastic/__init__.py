"""Flexible links: nodes joined by beam elements, with loops closed by the Jacobians of chains.

model                     ElasticModel: M, D, K and constraints of all nodes
nodes, beam_elements      the mesh; its elements in batch
nodal_forces              springs, dampers, drives, gravity and loads at nodes
chains, clusters          Jacobians of chains; nodes that joints hold together
increments                small motions of frames, exact to second order
"""

from poinsot.formulations.elastic.model import ElasticModel, Terms, chain_basis, columns_of, elastic_model
