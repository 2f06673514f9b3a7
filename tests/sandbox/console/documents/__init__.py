"""API documents for tests: two written by hand in full, others made here."""

from pathlib import Path

DOCUMENTS = Path(__file__).parent


def document(folder: Path, text: str) -> Path:
    """A document in a folder of its own."""
    file = folder / "api.yaml"
    file.write_text(text)
    return file


def many_paths(resources: int) -> str:
    """A document with five operations for each resource."""
    lines = ["openapi: 3.0.3", "info: {title: Many things}", "paths:"]
    for number in range(resources):
        shape = f'{{$ref: "#/components/schemas/Thing{number}"}}'
        sent = f"requestBody: {{content: {{application/json: {{schema: {shape}}}}}}}"
        rows = f"{{content: {{application/json: {{schema: {{type: array, items: {shape}}}}}}}}}"
        one = f"{{content: {{application/json: {{schema: {shape}}}}}}}"
        lines += [
            f"  /area{number % 7}/thing{number}s:",
            f'    get: {{tags: [area{number % 7}], responses: {{"200": {rows}}}}}',
            f'    post: {{{sent}, responses: {{"201": {one}}}}}',
            f"  /area{number % 7}/thing{number}s/{{id}}:",
            f'    get: {{responses: {{"200": {one}}}}}',
            f'    patch: {{{sent}, responses: {{"200": {one}}}}}',
            '    delete: {responses: {"204": {description: gone}}}',
        ]
    lines += ["components:", "  schemas:"]
    for number in range(resources):
        lines += [
            f"    Thing{number}:",
            "      type: object",
            "      required: [name]",
            "      properties:",
            "        name: {type: string}",
            "        size: {type: integer, minimum: 1, maximum: 64}",
            "        colour: {type: string, enum: [red, green, blue]}",
        ]
    return "\n".join(lines) + "\n"
