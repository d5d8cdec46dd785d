/* Private to sci/. */
#ifndef GNP_SCI_INTERNAL_H
#define GNP_SCI_INTERNAL_H

#include "sci/sci.h"

int gnp_footprint_filter_init(PyObject *module);
int gnp_fourier_init(PyObject *module);
int gnp_interpolate_init(PyObject *module);
int gnp_label_init(PyObject *module);
int gnp_line_filter_init(PyObject *module);
int gnp_nearest_init(PyObject *module);
int gnp_plane_lines_init(PyObject *module);
int gnp_segments_init(PyObject *module);
int gnp_spline_filter_init(PyObject *module);

/* The names of enum LineOperation. */
extern const char *const gnp_line_operations[];

/* The place of a text among names, or -1 with a ValueError. */
int gnp_name_from_object(PyObject *text, const char *const *names, int count, int *out);

/* The number of enum PadRule that stands for the name of a rule, or -1 with a ValueError. */
int gnp_pad_rule_from_object(PyObject *text, int *out);

#endif
