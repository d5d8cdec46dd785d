"""Settings of Sphinx for the site. tools/website.py gathers the sources and calls it."""

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent

project = "gpunp"
copyright = "2026, The gpunp developers"
release = version = re.search(r'"(.+)"', (HERE / "_version.py").read_text())[1]

extensions = ["myst_nb", "sphinx_design", "sphinx_copybutton"]
exclude_patterns = ["_version.py"]
suppress_warnings = ["misc.highlighting_failure"]  # CUDA C++ that is C to the highlighter
default_role = "py:obj"  # `name` in a docstring is a link where the name is described
add_module_names = False
toc_object_entries = False
python_maximum_signature_line_length = 100
highlight_language = "none"

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
nb_execution_mode = "cache"
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_merge_streams = True
copybutton_exclude = ".linenos, .gp, .go"

html_title = "gpunp"
html_theme = "pydata_sphinx_theme"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_theme_options = {
    "logo": {"text": "gpunp"},
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "show_nav_level": 1,
    "show_toc_level": 1,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["theme-version"],
    "icon_links": [
        {"name": "Source", "url": "https://github.com/gpunp/gpunp", "icon": "fa-brands fa-github"},
    ],
}
html_sidebars = {"index": []}
html_show_sourcelink = False
