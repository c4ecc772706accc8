# SPDX-License-Identifier: BSD-2-Clause
"""The families of vectors, one a file: what is asked, of which rule, on which side of its border. What comes out is the model's."""
