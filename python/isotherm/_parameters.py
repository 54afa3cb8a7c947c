OPTIONS = ()
class Parameters:
    def __init__(self):
        """x"""
