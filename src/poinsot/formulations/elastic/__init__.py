"""Flexible links: nodes joined by beam elements, with loops closed by the Jacobians of chains."""

from poinsot.formulations.elastic.model import ElasticModel, Terms, chain_basis, columns_of, elastic_model

__all__ = ["ElasticModel", "Terms", "chain_basis", "columns_of", "elastic_model"]
