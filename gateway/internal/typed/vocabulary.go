package typed

import "strings"

// fillers are words around a choice, in four languages. None of them negates, compares or asks.
var fillers = set(`a an the i ill id we lets let us me my you take taking choose pick book want would like love please
	thanks thank go with for to one option number choice answer then that this it and hi hello ich wir nehme nehmen
	nimm wähle wählen möchte möchten will wollen hätte hätten gern gerne bitte danke den die das der dem ein eine
	einen mit für lieber dann option nummer antwort je nous prends prenons prendrai voudrais veux choisis le la les un
	une avec pour merci plaît sil vous te numéro yo quiero quisiera tomo elijo el los las una uno con para por favor
	gracias número opción`)

// last is the place of the last option.
const last = -1

// places are the words that count, from 1.
var places = map[string]int{}

// recommended are words for the option that the question recommends.
var recommended = set("recommended recommendation suggested suggestion empfohlene empfohlenen empfehlung recommandé " +
	"recommandée recomendado recomendada")

// decisions are messages that mean only yes or no. "OK" is not included, because it may be a reply to anything.
var decisions = map[string]bool{}

func init() {
	for place, words := range []string{
		1: "1 1st first one erste ersten erster erstes eins premier première primero primera",
		2: "2 2nd second two zweite zweiten zweiter zweites zwei deuxième deux segundo segunda dos",
		3: "3 3rd third three dritte dritten dritter drittes drei troisième trois tercero tercera tres",
		4: "4 4th fourth four vierte vierten vierter viertes vier quatrième quatre cuarto cuarta cuatro",
		5: "5 5th fifth five fünfte fünften fünfter fünftes fünf cinquième cinq quinto quinta cinco",
		6: "6 6th sixth six sechste sechsten sechster sechstes sechs sixième sexto sexta seis",
		7: "7 7th seventh seven siebte siebten siebter siebtes sieben septième sept séptimo séptima siete",
		8: "8 8th eighth eight achte achten achter achtes acht huitième huit octavo octava ocho",
		9: "9 9th ninth nine neunte neunten neunter neuntes neun neuvième neuf noveno novena nueve",
	} {
		for word := range strings.FieldsSeq(words) {
			places[word] = place
		}
	}
	for word := range set("last letzte letzten letzter letztes dernier dernière último última") {
		places[word] = last
	}
	for _, text := range []string{
		"yes", "yes please", "yes do it", "yes go ahead", "yes i approve", "i approve", "approve", "approved",
		"go ahead",
		"ja", "ja bitte", "ja mach das", "genehmigt", "ich genehmige das", "oui", "oui sil vous plaît", "approuvé",
		"sí", "sí por favor", "aprobado",
	} {
		decisions[text] = true
	}
	for _, text := range []string{
		"no", "no thanks", "no thank you", "no dont", "no do not", "dont", "do not", "deny", "denied", "reject",
		"rejected", "not approved",
		"nein", "nein danke", "nein bitte nicht", "abgelehnt", "non", "non merci", "refusé", "no gracias", "rechazado",
	} {
		decisions[text] = false
	}
}

func set(words string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		out[word] = true
	}
	return out
}
