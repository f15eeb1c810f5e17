"""What a machine must have before the first job, each check a function that returns a finding."""
