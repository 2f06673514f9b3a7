"""The database itself refuses to change or delete an audit entry; TRUNCATE by the tables' owner stays possible."""

from django.db import migrations

REFUSE = """
CREATE FUNCTION belay_audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'audit entries are never changed or deleted' USING ERRCODE = 'insufficient_privilege';
END
$$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON audit_auditentry
    FOR EACH ROW EXECUTE FUNCTION belay_audit_is_append_only();
"""
ALLOW = """
DROP TRIGGER audit_append_only ON audit_auditentry;
DROP FUNCTION belay_audit_is_append_only();
"""


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_initial")]

    operations = [migrations.RunSQL(REFUSE, ALLOW)]
