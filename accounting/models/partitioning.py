"""A Django model whose table is partitioned by range."""

from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations import CreateModel
from django.db.migrations.state import ProjectState


class CreatePartitionedModel(CreateModel):
    """CreateModel whose CREATE TABLE ends in PARTITION BY; everything else is Django's own."""

    def __init__(self, *args: Any, partition_by: str, **options: Any) -> None:
        """partition_by: the clause after PARTITION BY, such as RANGE (month)."""
        self.partition_by = partition_by
        super().__init__(*args, **options)

    def deconstruct(self) -> tuple[str, Any, dict[str, Any]]:
        """The operation as a migration writes it."""
        name, args, options = super().deconstruct()
        return name, args, {**options, "partition_by": self.partition_by}

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        """Create the table with its partition clause."""
        plain = type(schema_editor).sql_create_table
        schema_editor.sql_create_table = f"{plain} PARTITION BY {self.partition_by}"
        try:
            super().database_forwards(app_label, schema_editor, from_state, to_state)
        finally:
            del schema_editor.sql_create_table
