"""The workbench: tickets over folders, files and configurations, in text and without a browser."""

from sandbox.registry import register
from sandbox.worlds.workbench.simulator import Workbench
from sandbox.worlds.workbench.templates import DIMENSIONS, TEMPLATES, WORKBENCH

register(WORKBENCH, None, TEMPLATES, simulator=Workbench, dimensions=DIMENSIONS)
