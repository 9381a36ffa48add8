"""Pages of the documentation site that are made from code: reference, gallery, diagrams, validation."""
