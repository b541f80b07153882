"""What the smoke test asks and imports."""

QUERY = "What is the cheapest petrol near Springfield, Illinois?"
"""A query of the demo in which one API fails and another stands in."""
EXAMPLE_QUERY = (
    "What is the latest stock price of the ticker symbol STRA, "
    "and how much is that converted from the currency USD to EUR?"
)
"""The query that the scripted replies of the demo's examples know (`llm/example.py`)."""
FUNCTIONS = [
    {
        "name": name,
        "description": words,
        "parameters": {"type": "object", "properties": {"place": {"type": "string"}}},
    }
    for name, words in (
        ("current_weather", "The weather at a place now: temperature, wind and rain."),
        ("weather_now", "Temperature, wind and rain at a place at this moment."),
        ("weather_forecast", "What the weather will be at a place in the next days."),
        ("book_train", "Buy a ticket for a train from a place."),
        ("train_times", "When trains leave from a place."),
        ("find_hotel", "Hotels with free rooms at a place."),
    )
]
OPENAPI = {
    "openapi": "3.0.0",
    "info": {"title": "Rates", "version": "1"},
    "paths": {
        "/rates": {
            "get": {
                "operationId": "list_rates",
                "summary": "Exchange rates of a currency.",
                "responses": {"200": {"description": "The rates"}},
            }
        }
    },
}
AS_SERVER = ["self-test", "--as-server"]
"""With these the program is an MCP server over stdio itself."""
