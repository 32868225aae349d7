#!/bin/sh
# Copies the checked build to the plant. Changed by the operations team only.
rsync -a build/ plant:/srv/control/
