"""The linear model about a pose at rest.

record                 LinearModel
model                  M, D, K and what they belong to, for rigid and for flexible links
rigid, elastic         the model of rigid links in any formulation; of flexible links
rigid_derivatives      derivatives with respect to parameters; elastic_derivatives likewise
"""
