"""Definitions beside the definition: recipes, the values that they give, and the slips among them."""

from ndcg_lib.recipes.kitchen import Kitchen
from ndcg_lib.recipes.queries import Queries
from ndcg_lib.recipes.recipe import QUANTITIES, Recipe
from ndcg_lib.recipes.slip import Slip, value

__all__ = ["QUANTITIES", "Kitchen", "Queries", "Recipe", "Slip", "value"]
