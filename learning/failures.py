"""What keeps whoever is asked from an action, whatever kind of policy it is."""


class TeacherFailed(RuntimeError):
    """It was asked and gave no action; the class says how, the message what to do."""
