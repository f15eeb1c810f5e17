"""What a machine must have before the first job. Each check is a function that returns a finding."""
