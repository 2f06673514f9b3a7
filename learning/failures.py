"""What keeps whoever is asked from an action, whatever kind of policy it is."""


class TeacherFailed(RuntimeError):
    """It was asked and gave no action; the class says how, the message what to do."""


class Hopeless(RuntimeError):
    """Nothing that is asked after it would be answered either: what goes on asking should end."""
