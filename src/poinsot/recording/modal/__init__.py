"""Modal tests: frequency responses from recordings, and modes with standard errors from them.

arguments              what users may give
points                 where on the mechanism, in which direction and with which sign
hits, spectra          blows of a hammer and their faults; averaged spectra, responses, their variance
noise                  what the errors of lines and points have in common
response, estimate     the record of measured responses; responses from recordings
lscf, stabilisation    poles of all orders; which of them stay, their tracks, and those that are modes
partial_fractions      shapes by least squares, the most likely poles and their covariance
peaks                  the simple way
output_only            responses alone
shapes, checks         complexity, pairing with a model; reciprocity, driving points, resolution
record, modal_test     the result and the verb
"""

from poinsot.recording.modal.estimate import frequency_response
from poinsot.recording.modal.modal_test import modal_test
from poinsot.recording.modal.record import ModalTest
from poinsot.recording.modal.response import FrequencyResponse, combined

__all__ = ["FrequencyResponse", "ModalTest", "combined", "frequency_response", "modal_test"]
