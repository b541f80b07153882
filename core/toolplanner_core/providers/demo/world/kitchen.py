"""Cocktails, recipes and what is in food: look-ups in tables."""

from toolplanner_core.providers.demo.world.world import (
    Args,
    Record,
    Refusal,
    World,
    contains_words,
    fold,
    number,
    table,
    text,
    whole,
)


def cocktails(world: World, args: Args) -> Record:
    """Cocktails by name, by ingredient, by kind, or the cocktail of the day."""
    rows = table("cocktails")
    if args.get("name") is not None:
        wanted = fold(text(args, "name"))
        exact = [row for row in rows if fold(row["name"]) == wanted]
        rows = exact or [row for row in rows if contains_words(wanted, fold(row["name"]))]
    for ingredient in fold(str(args.get("ingredient") or "").replace(",", " and ")).split(" and "):
        if ingredient:
            rows = [
                r
                for r in rows
                if any(contains_words(ingredient, fold(n)) for n, _ in r["ingredients"])
            ]
    if args.get("alcoholic") is not None:
        rows = [row for row in rows if row["alcoholic"] == bool(args["alcoholic"])]
    if args.get("random"):
        rows = [world.pick(rows, "cocktail of the day", world.now.date())] if rows else []
    found = [
        row | {"parts": [{"name": n, "amount": a} for n, a in row["ingredients"]],
               "list": ", ".join(f"{a} {n}" for n, a in row["ingredients"])}
        for row in rows[: whole(args, "limit", 10)]
    ]  # fmt: skip
    return {"drinks": found, "count": len(found), **(found[0] if found else {})}


def recipes(world: World, args: Args) -> Record:
    """Recipes by name, ingredient, cuisine, diet or time."""
    rows = table("recipes")
    if args.get("name") is not None:
        wanted = fold(text(args, "name"))
        rows = [row for row in rows if contains_words(wanted, fold(row["name"]))]
    for ingredient in str(args.get("ingredient") or "").replace(" and ", ",").split(","):
        if fold(ingredient):
            rows = [
                r
                for r in rows
                if any(contains_words(fold(ingredient), i) for i in r["ingredients"])
            ]
    if args.get("cuisine") is not None:
        rows = [row for row in rows if fold(row["cuisine"]) == fold(args["cuisine"])]
    if args.get("diet") is not None:
        meat_free = {"vegetarian": ("vegetarian", "vegan"), "vegan": ("vegan",)}
        allowed = meat_free.get(fold(args["diet"]), ("none", "vegetarian", "vegan"))
        rows = [row for row in rows if row["diet"] in allowed]
    if args.get("minutes") is not None:
        rows = [row for row in rows if row["minutes"] <= number(args, "minutes")]
    if args.get("random"):
        rows = [world.pick(rows, "recipe of the day", world.now.date())] if rows else []
    found = rows[: whole(args, "limit", 10)]
    return {"recipes": found, "count": len(found), **(found[0] if found else {})}


def food(world: World, args: Args) -> Record:
    """Energy and nutrients of an amount of a food."""
    del world
    wanted, grams = fold(text(args, "food")), number(args, "grams", 100)
    if grams <= 0:
        raise Refusal(400, "invalid_parameter", "grams must be above 0", field="grams")
    for row in table("foods"):
        if wanted in (fold(row["name"]), f"{fold(row['name'])}s", f"{fold(row['name'])}es"):
            scaled = {
                key: round(value * grams / 100, 1)
                for key, value in row.items()
                if isinstance(value, int | float)
            }
            kilojoules = round(scaled["kcal"] * 4.184)
            return {"name": row["name"], "grams": grams, **scaled, "kj": kilojoules}
    raise Refusal(404, "not_found", f"Unknown food {args['food']!r}", field="food")


def foods_by(world: World, args: Args) -> Record:
    """Foods with the most of a nutrient."""
    del world
    names = {"protein": "protein_g", "carbohydrates": "carbs_g", "carbs": "carbs_g", "fat": "fat_g",
             "fibre": "fibre_g", "fiber": "fibre_g", "sugar": "sugar_g", "salt": "salt_g",
             "energy": "kcal", "calories": "kcal"}  # fmt: skip
    key = names.get(fold(text(args, "nutrient")))
    if key is None:
        raise Refusal(
            400,
            "invalid_parameter",
            f"nutrient must be one of {', '.join(names)}",
            field="nutrient",
        )
    rows = sorted(table("foods"), key=lambda row: -row[key])[: whole(args, "limit", 5)]
    found = [{"name": row["name"], "amount": row[key]} for row in rows]
    return {"nutrient": fold(args["nutrient"]), "foods": found, "count": len(found)}


FUNCTIONS = {"cocktails": cocktails, "recipes": recipes, "food": food, "foods_by": foods_by}
